/** On the page that the service worker shows without a connection: loads the page that was asked for as soon as it can be had. */
const everyMs = 5_000

addEventListener('online', () => location.reload())
// The server may be back without a change of the connection.
setInterval(() => {
  fetch('/service-worker.js', { method: 'HEAD' }).then(
    () => location.reload(),
    () => undefined,
  )
}, everyMs)
