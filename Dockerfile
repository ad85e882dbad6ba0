# The packages, without those that only developers need, and the program built from the sources. The packages bring the
# Node that Terrace runs on, and FFmpeg's libraries.
FROM node:20-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --ignore-scripts --omit=dev --no-save --no-audit --no-fund
COPY build.mjs ./
COPY src ./src
COPY web ./web
RUN node build.mjs && node_modules/node-linux-*/bin/node web/build.ts

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --user-group --no-create-home terrace \
  && install --directory --owner=terrace --group=terrace --mode=0750 /data /keys
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY deploy/make-proxy-key.sh ./deploy/
COPY --from=packages /app/build ./build
# One of them is installed: the one for this kind of machine.
RUN ln -s /app/node_modules/node-linux-*/bin/node /usr/local/bin/node

USER terrace
ENV SERVICE_LISTEN=0.0.0.0:8080 \
    SERVICE_DATA_DIR=/data
EXPOSE 8080
VOLUME /data
# Node is the first process and hears SIGTERM itself: it finishes what it has begun to read, for at most 30 seconds.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/_/health/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-proto=delete", "--initial-old-space-size=96", "--max-semi-space-size=4", "build/main.js"]
CMD ["serve"]
