/** As `Promise.all`, but waits for all when one fails, so that nothing goes on behind the caller's back. */
export async function allDone<const Works extends readonly Promise<unknown>[]>(
  works: Works,
): Promise<{ -readonly [Place in keyof Works]: Awaited<Works[Place]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
