# syntax=docker/dockerfile:1
# The operator's image. Build it at the root of the repository:
#   docker build --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) --tag REGISTRY/baas-operator:0.1.0 .
# test/image runs the commands of these stages in order, so each uses paths relative to its WORKDIR alone.

# The same Node as package.json pins for development.
ARG NODE_IMAGE=node:24.21.0-trixie-slim

# JavaScript from the sources, `baas` as a command, and the packages that it needs at run time, exactly as the lockfile says. None of them has an
# install script that it needs.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY rolldown.config.ts ./
COPY src src
RUN npx rolldown --config
RUN chmod +x dist/main.js && mkdir bin && ln -s ../dist/main.js bin/baas
RUN npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE} AS runtime
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="baas-operator" \
      org.opencontainers.image.description="Kubernetes operator that makes projects of a hosted backend platform follow custom resources" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Nothing is installed at run time, so there is nothing to do it with.
WORKDIR /
RUN rm -rf usr/local/lib/node_modules usr/local/bin/npm usr/local/bin/npx usr/local/bin/corepack usr/local/bin/yarn* opt/yarn*
WORKDIR /app
ENV NODE_ENV=production \
    NODE_OPTIONS="--enable-source-maps --max-semi-space-size=8" \
    PATH=/app/bin:$PATH
COPY package.json LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/bin bin
# By number, so that runAsNonRoot can be checked. The files belong to root: the program cannot change itself.
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["--help"]
