/** What the settings of a program need to know. */
export interface AppContext {
  /** Of the upload API of the site. */
  uploadUrl: string
  siteName: string
  key: string
}

interface Shell {
  curl: string
  quote: "'" | '"'
}

/** One line that uploads `picture.png`. It prints the address, or the reason of a refusal. */
export const curlLine = (context: AppContext, shell: Shell): string =>
  curlCommand(context, `${shell.quote}source=@picture.png${shell.quote}`, shell)

/** Neither the key nor the address has a character that a shell replaces between quotes. */
function curlCommand(
  { key, uploadUrl }: AppContext,
  source: string,
  { curl, quote }: Shell = { curl: 'curl', quote: "'" },
): string {
  const quoted = (text: string) => `${quote}${text}${quote}`
  const header = quoted(`X-API-Key: ${key}`)
  return `${curl} -sS --fail-with-body -w ${quoted('\\n')} -H ${header} -F ${source} ${quoted(`${uploadUrl}?format=txt`)}`
}

/**
 * Typora calls it with the paths of all pictures, and reads the last lines of what it prints.
 * curl reads `,` and `;` in a path as its own unless the path is in quotes; a proxy may answer 200 without an address.
 */
export const typoraScript = (context: AppContext): string => `#!/bin/sh
# Uploads the files that it is given and prints one address a line.
status=0
for file in "$@"; do
  case $file in /*) ;; *) file=./$file ;; esac
  quoted=$(printf '%s.' "$file" | LC_ALL=C sed 's/[\\\\"]/\\\\&/g')
  quoted=\${quoted%.}
  answer=$(${curlCommand(context, '"source=@\\"$quoted\\""')})
  case $?:$answer in
    0:http*) printf '%s\\n' "$answer" ;;
    *) printf '%s: %s\\n' "$file" "\${answer:-The upload failed.}" >&2; status=1 ;;
  esac
done
exit $status
`

/** Flameshot prints nothing when it is cancelled; before version 0.9 it printed "screenshot aborted". */
export const flameshotScript = (context: AppContext): string => `#!/bin/sh
# Takes a screenshot with Flameshot and uploads it. Prints, copies and shows its address, or why there is none.
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
flameshot gui --raw >"$folder/picture"
code=$?
if [ $code -eq 127 ]; then
  answer='Flameshot is not installed.'
elif [ ! -s "$folder/picture" ] || grep -Eq '^screenshot (aborted|failed)' "$folder/picture"; then
  exit 0
else
  answer=$(${curlCommand(context, "'source=@-;filename=screenshot.png'")} <"$folder/picture" 2>"$folder/error")
  code=$?
  [ -n "$answer" ] || answer=$(cat "$folder/error")
fi
case $code:$answer in
  0:http*) printf '%s\\n' "$answer" ;;
  *) answer=\${answer:-The upload failed.}; printf '%s\\n' "$answer" >&2; code=1 ;;
esac
# Programs that keep the clipboard go on running, so they must not keep the output of this script open.
for copy in wl-copy 'xclip -selection clipboard' 'xsel --clipboard --input'; do
  printf '%s' "$answer" | $copy >/dev/null 2>&1 && break
done
notify-send -- "$answer" >/dev/null 2>&1
exit $code
`
