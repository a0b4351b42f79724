FROM python:3.12-slim

# For backups: pg_dump and psql, of the same Debian release as the image.
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 econevals \
    && install -d -o econevals -m 700 /data
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY --chown=econevals . .
USER econevals
ENV ECONEVALS_DATA_DIR=/data PYTHONUNBUFFERED=1
EXPOSE 8000
CMD ["sh", "-c", "python manage.py migrate --noinput && python manage.py prepare && exec python manage.py serve --host 0.0.0.0 --port 8000 --log-requests"]
