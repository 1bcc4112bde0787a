# The server of Ahu: `docker build --tag ahu .`, then
# `docker run --publish 50551:50551 --volume ahu:/data ahu`.
FROM rust:1.90-slim-bookworm AS build
WORKDIR /ahu
COPY . .
# The commit that `ahu --version` names: `--build-arg AHU_COMMIT=$(git rev-parse HEAD)`.
ARG AHU_COMMIT
RUN cargo build --release --locked --bin ahu

FROM debian:bookworm-slim
COPY --from=build /ahu/target/release/ahu /usr/local/bin/ahu
COPY --from=build /ahu/LICENSE /usr/share/doc/ahu/LICENSE
# The folder of matches belongs to the user of the server, who is not root.
RUN useradd --system --uid 10001 --home-dir /data ahu && install --directory --owner ahu --group ahu --mode 0700 /data
USER 10001
VOLUME /data
EXPOSE 50551
STOPSIGNAL SIGTERM
# The server accepts connections. Callers with a client of gRPC ask the service grpc.health.v1.Health.
HEALTHCHECK --interval=30s --timeout=3s --start-period=60s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/50551"]
ENTRYPOINT ["ahu"]
CMD ["serve", "--listen", "0.0.0.0:50551", "--data", "/data"]
