# Built on the machine the image is for, or with docker buildx --platform: Bun is installed for that one.
FROM node:22-bookworm AS build
WORKDIR /formflag
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && mkdir /data

# No more than the C library that the executable needs.
FROM gcr.io/distroless/base-nossl-debian12:nonroot
COPY --from=build /formflag/dist/formflag /formflag
# A new volume takes its owner from here.
COPY --from=build --chown=65532:65532 --chmod=700 /data /data
USER 65532:65532
ENV FORMFLAG_DATA=/data FORMFLAG_LISTEN=0.0.0.0:8787
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/formflag", "healthcheck"]
ENTRYPOINT ["/formflag"]
CMD ["serve"]
