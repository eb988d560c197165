#!/bin/sh
# Makes what Ray needs to encrypt and to trust: certificates.sh FOLDER NAME_OR_ADDRESS...
#
# In FOLDER afterwards: ca.crt and ca.key (an authority of your own, made once), tls.crt and tls.key (for processes at these
# names and addresses), and token. Copy ca.crt, tls.crt, tls.key and token to every machine; keep ca.key off them.
set -eu
umask 077
[ $# -ge 2 ] || { echo "usage: certificates.sh FOLDER NAME_OR_ADDRESS..." >&2; exit 2; }
folder=$1
shift
authority=${CA_FOLDER:-$folder}
mkdir -p "$folder"

if [ ! -e "$authority/ca.key" ]; then
    openssl req -x509 -newkey rsa:3072 -nodes -sha256 -days 3650 -subj "/CN=rove cluster" \
        -keyout "$authority/ca.key" -out "$authority/ca.crt" 2>/dev/null
fi
[ "$authority" = "$folder" ] || cp "$authority/ca.crt" "$folder/ca.crt"

# Ray connects by address, so each address that a node is reached at must be in the certificate.
names=""
for name in localhost 127.0.0.1 "$@"; do
    case $name in
        *[!0-9.]*) case $name in *:*) kind=IP ;; *) kind=DNS ;; esac ;;
        *) kind=IP ;;
    esac
    names="$names${names:+,}$kind:$name"
done
extensions=$(mktemp)
trap 'rm -f "$extensions" "$folder/tls.csr"' EXIT
echo "subjectAltName=$names" > "$extensions"
openssl req -newkey rsa:3072 -nodes -sha256 -subj "/CN=rove node" \
    -keyout "$folder/tls.key" -out "$folder/tls.csr" 2>/dev/null
openssl x509 -req -sha256 -days 365 -in "$folder/tls.csr" -CA "$authority/ca.crt" -CAkey "$authority/ca.key" \
    -CAcreateserial -extfile "$extensions" -out "$folder/tls.crt" 2>/dev/null

[ -e "$folder/token" ] || openssl rand -hex 32 > "$folder/token"
echo "Made $folder/tls.crt for $names."
