#!/bin/sh
# Makes the roles and the database of "Database" in docs/operations.md, when the server starts on an empty volume.
set -eu
owner=$(cat /run/secrets/owner-password) service=$(cat /run/secrets/service-password)
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --set owner="$owner" --set service="$service" <<'SQL'
create role spp_app nologin noinherit;
create role spp_system nologin noinherit;
create role spp_migration nologin noinherit;
create role spp_owner login password :'owner';
grant spp_app, spp_system, spp_migration to spp_owner;
create role spp_service login noinherit password :'service';
grant spp_app, spp_system to spp_service;
create database spp owner spp_owner template template0 encoding 'UTF8';
SQL
