FROM python:3.12-slim-trixie

# For backups: pg_dump and psql. Debian 13 has those of PostgreSQL 17, which docker-compose.yml runs.
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
RUN useradd --no-create-home --uid 1000 econevals && install -d -o econevals -m 700 /data
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
# The code stays root's, so that nothing that runs can change it.
COPY . .
RUN chmod -R a+rX,go-w . && python -m compileall -q .
USER econevals
ENV ECONEVALS_DATA_DIR=/data PYTHONUNBUFFERED=1
EXPOSE 8000
CMD ["sh", "-c", "python manage.py migrate --noinput && python manage.py prepare && exec python manage.py serve --host 0.0.0.0 --port 8000"]
