# The server of one machine in a container: docs/guides/containers.md.
#
# Its steps were run one by one, as an unprivileged user; no image was built from this file here.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY bin ./bin
COPY console ./console
COPY functions ./functions
COPY shared ./shared
# layers keep whole seconds only, and a bundle is made again when the time of a source differs
RUN find bin console functions shared package-lock.json -exec touch -d @1700000000 {} + && npm run bundle

# what Python scripts may import besides the standard library: requests and syncano
FROM build AS packages
RUN apt-get update && apt-get install --yes --no-install-recommends python3 python3-pip
RUN node bin/groundwork.mjs admin python-packages --data /packages && chmod -R a+rX /packages

# what the bundles contain already, and what python3 replaces
FROM build AS program
RUN cd node_modules && rm -rf @codemirror @esbuild @lezer esbuild lucide preact pyodide tsx typescript uplot

FROM node:24-bookworm-slim
# python3 runs scripts of Python and starts the sandbox; bubblewrap is used where containers may create namespaces
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap python3 \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir --mode=700 /backups /data && chown node:node /backups /data
WORKDIR /app
COPY --from=program /app ./
COPY --from=packages /packages/python-packages /python-packages
ENV GROUNDWORK_PYTHON_PACKAGES=/python-packages
USER node
VOLUME /data /backups
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "bin/start.mjs", "--host", "0.0.0.0", "--data", "/data"]
