# canonry alone in an image, for the pre-commit framework's `language: docker` and for runners without Rust:
#   docker build -t canonry . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/src" canonry check --rev HEAD

FROM rust:1-alpine AS build
# For the C and assembly parts of blake3.
RUN apk add --no-cache musl-dev
WORKDIR /canonry
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY schemas schemas
COPY fixtures/tour fixtures/tour
COPY fixtures/scaffold fixtures/scaffold
COPY fixtures/scaffold-minimal fixtures/scaffold-minimal
# Cargo.toml names them; they are not built.
COPY benches benches
RUN cargo build --locked --release --bin canonry

# Linked statically by that toolchain: it needs nothing else, neither a shell nor git.
FROM scratch
COPY --from=build /canonry/target/release/canonry /usr/local/bin/canonry
# The framework names the program without its folder.
ENV PATH=/usr/local/bin
WORKDIR /src
ENTRYPOINT ["canonry"]
