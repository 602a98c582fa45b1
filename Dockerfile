# An image with canonry only:
#   docker build -t canonry . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/src" canonry check --rev HEAD
# .github/workflows/publish.yml replaces the stage `build` by a folder with a release's binaries.

FROM rust:1-alpine AS build
# blake3 has C and assembly parts.
RUN apk add --no-cache musl-dev
WORKDIR /canonry
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY crates crates
COPY schemas schemas
COPY docs docs
# Cargo.toml names these targets; they are not built.
COPY benches benches
COPY testing testing
COPY tests tests
COPY examples examples
COPY xtask xtask
# Empty without BuildKit.
ARG TARGETARCH
RUN cargo build --locked --profile dist --bin canonry && install -D target/dist/canonry "/out/$TARGETARCH/canonry"

# The binary is linked statically and needs neither a shell nor git.
FROM scratch
ARG TARGETARCH
COPY --from=build /out/$TARGETARCH/canonry /usr/local/bin/canonry
# Hooks call the program by its bare name.
ENV PATH=/usr/local/bin
WORKDIR /src
ENTRYPOINT ["canonry"]
