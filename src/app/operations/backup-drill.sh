#!/bin/sh
# Restores the base backup and the WAL archive beside the database, and checks the copy. Monthly, by cron or a timer, as
# PostgreSQL's user on a machine with PostgreSQL's programs of the same version, psql and lotbook:
#
#   DATABASE_URL=postgres://lotbook:…@db.internal/lotbook      the database
#   COPY_URL=postgres://lotbook:…@127.0.0.1:5499/lotbook       the copy: the same role, password and name, a free port
#   BASE=/backup/base ARCHIVE=/backup/wal                      pg_basebackup --pgdata, archive_command
#   ANCHORS=/safe/anchors ANCHOR_KEY=/safe/anchor.pem          kept off the database's machine
#   PROTO_TOKEN, PROTO_ADMIN_KEY, PROGRAMS                     as the service has them
#
# Exit code 0: the copy has everything that the new anchor covers. Anything else: the backup is not one.
set -eu
: "${DATABASE_URL:?}" "${COPY_URL:?}" "${BASE:?}" "${ARCHIVE:?}" "${ANCHORS:?}" "${ANCHOR_KEY:?}"
port=${COPY_URL##*:} port=${port%%/*}
anchor=$ANCHORS/$(date -u +%Y-%m-%dT%H%M%SZ).json
work=$(mktemp -d)
trap 'pg_ctl stop --pgdata="$work/data" --mode=immediate >/dev/null 2>&1 || :; rm -rf "$work"' EXIT

lotbook journal verify --anchor "$anchor" --anchor-key "$ANCHOR_KEY"

# The archive has the anchor's records once it has the segment that is written now: archive_timeout at the latest.
segment=$(psql "$DATABASE_URL" -Atc 'SELECT pg_walfile_name(pg_current_wal_insert_lsn())')
waited=0
until [ "$(psql "$DATABASE_URL" -Atc "SELECT coalesce(last_archived_wal, '') >= '$segment' FROM pg_stat_archiver")" = t ]; do
  [ $waited -lt "${ARCHIVE_SECONDS:-300}" ] || { echo "$segment was not archived within $waited s" >&2; exit 1; }
  sleep 5
  waited=$((waited + 5))
done

cp -a "$BASE" "$work/data"
chmod 700 "$work/data"
rm -f "$work/data/postmaster.pid"
touch "$work/data/recovery.signal"
# Settings of its own: the configuration may be elsewhere, and the copy must not archive or wait for a standby.
cat > "$work/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$work'
hot_standby = off
restore_command = 'cp "$ARCHIVE/%f" "%p"'
CONF
echo "host all all 127.0.0.1/32 scram-sha-256" > "$work/pg_hba.conf"
: > "$work/pg_ident.conf"
if ! pg_ctl start --wait --timeout=3600 --pgdata="$work/data" --log="$work/log" -o "-c config_file=$work/postgresql.conf \
  -c hba_file=$work/pg_hba.conf -c ident_file=$work/pg_ident.conf -c archive_mode=off -c synchronous_standby_names= \
  -c listen_addresses=127.0.0.1 -c port=$port -c primary_conninfo= -c recovery_target_action=promote"; then
  tail -n 20 "$work/log" >&2
  exit 1
fi

DATABASE_URL=$COPY_URL lotbook backup check --anchor "$anchor" --anchor-key "$ANCHOR_KEY"
