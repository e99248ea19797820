# The dashboard on port 8501, as a user without rights. Put a reverse proxy with TLS before it, see README.md.
FROM python:3.12-slim

RUN useradd --create-home app
WORKDIR /app
COPY requirements.txt constraints.txt ./
RUN pip install --no-cache-dir -r requirements.txt -c constraints.txt
COPY --chown=app . .
RUN pip install --no-cache-dir --no-deps .
USER app
EXPOSE 8501
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health')"]
CMD ["streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.headless", "true"]
