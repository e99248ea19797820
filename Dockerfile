# The app by several processes behind haproxy, which sends the security headers, on port 8501; a user without rights.
FROM python:3.12-slim

RUN apt-get update && apt-get install -y --no-install-recommends haproxy && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home app
WORKDIR /app
COPY requirements.txt constraints.txt ./
RUN pip install --no-cache-dir -r requirements.txt -c constraints.txt
COPY --chown=app . .
RUN pip install --no-cache-dir --no-deps .
USER app
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 8501), 5)"]
CMD ["python", "-m", "serve", "--address", "0.0.0.0"]
