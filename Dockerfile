# The app by several processes behind haproxy, which sends the security headers, on port 8501; a user without rights.
# The digest fixes the image to the last byte. A newer one: docker buildx imagetools inspect python:3.12-slim-bookworm
FROM python:3.12.12-slim-bookworm@sha256:593bd06efe90efa80dc4eee3948be7c0fde4134606dd40d8dd8dbcade98e669c

# Debian replaces a package by the same version with security mends; an older one can no longer be had.
RUN apt-get update && apt-get install -y --no-install-recommends "haproxy=2.6.12-1+deb12u*" curl && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home app
WORKDIR /app
COPY requirements.txt constraints.txt ./
RUN pip install --no-cache-dir -r requirements.txt -c constraints.txt
COPY --chown=app . .
RUN pip install --no-cache-dir --no-deps .
USER app
EXPOSE 8501
HEALTHCHECK --start-period=60s --timeout=10s CMD curl -fsk "http${DPSLR_CERTIFICATE:+s}://127.0.0.1:8501/_stcore/health"
CMD ["python", "-m", "serve", "--address", "0.0.0.0"]
