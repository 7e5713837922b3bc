# syntax=docker/dockerfile:1
# The image of Tidemark: `docker build -t tidemark .` It runs as user 1000 and writes to /var/lib/tidemark alone, so that
# the rest may be read-only. server/test/packaging/image.test.ts carries these steps out without Docker.
ARG NODE_IMAGE=node:26-bookworm-slim

# What is needed to build: compilers too, but nothing that runs code while it is installed.
FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY client/package.json client/
COPY console/package.json console/
COPY manual/package.json manual/
COPY mcp/package.json mcp/
# The workspaces that the build uses, without the MCP server's, which has a quarter of all packages.
RUN npm ci --ignore-scripts --no-audit --no-fund --include-workspace-root \
    --workspace=server --workspace=client --workspace=console --workspace=manual
COPY tsconfig.base.json LICENSE SECURITY.md CHANGELOG.md ./
COPY server server
COPY client client
COPY console console
COPY docs docs
COPY spec spec
COPY manual manual
RUN npm run build

# What is needed to run, and no more.
FROM ${NODE_IMAGE} AS runtime
WORKDIR /opt/tidemark
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY client/package.json client/
COPY console/package.json console/
COPY manual/package.json manual/
COPY mcp/package.json mcp/
COPY server/bin server/bin
RUN npm ci --ignore-scripts --omit=dev --workspace=server --no-audit --no-fund
COPY --from=build /src/server/dist server/dist

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tidemark" \
      org.opencontainers.image.description="A self-hosted time-series signal service" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=runtime /opt/tidemark /opt/tidemark
RUN install -d -o 1000 -g 1000 -m 0700 /var/lib/tidemark
# Kubernetes' runAsNonRoot asks for a number.
USER 1000:1000
# SQLite writes temporary files next to the data where /tmp cannot be written.
WORKDIR /var/lib/tidemark
VOLUME /var/lib/tidemark
ENV NODE_ENV=production \
    PATH=/opt/tidemark/node_modules/.bin:$PATH \
    TIDEMARK_DATA=/var/lib/tidemark \
    TIDEMARK_HOST=0.0.0.0
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s --retries=3 CMD ["tidemark", "health"]
ENTRYPOINT ["tidemark"]
CMD ["serve"]
