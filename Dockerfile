# Sluice and nothing else: manifests, table schemas and data are mounted below /srv, or copied there by an image built on this one.

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY tools/alone.mjs tools/build.mjs tools/build-explorer.mjs tools/build-macros.mjs tools/bundle-program.mjs tools/third-party-licenses.mjs tools/
COPY schemas schemas
COPY googlesql googlesql
COPY googlesql-duckdb googlesql-duckdb
COPY runner runner
COPY authoring authoring
COPY cli cli
COPY explorer explorer
RUN node tools/build.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production SLUICE_HOST=0.0.0.0 PORT=8080
COPY --from=build /build/package.json /opt/sluice/package.json
COPY --from=build /build/node_modules /opt/sluice/node_modules
COPY --from=build /build/schemas /opt/sluice/schemas
COPY --from=build /build/dist /opt/sluice/dist
COPY templates /opt/sluice/templates
COPY LICENSE /opt/sluice/LICENSE
RUN ln -s /opt/sluice/dist/cli/main.js /usr/local/bin/sluice \
 && mkdir -p /srv/endpoints /srv/schemas/tables /srv/data \
 && chown node:node /srv/data
WORKDIR /srv
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(reply => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/sluice/dist/cli/main.js"]
CMD ["serve"]
