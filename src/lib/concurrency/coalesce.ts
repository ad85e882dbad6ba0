/**
 * Calls share the runs of one function: one run at a time, and every caller waits for a run that began after its call. All
 * calls during a run share the next one, which gets the input of the last call.
 */
export function coalesce<Input>(run: (input: Input) => Promise<void>): (input: Input) => Promise<void> {
  let running: Promise<void> | undefined
  let next: { input: Input; done: Promise<void> } | undefined

  function start(input: Input): Promise<void> {
    const done = run(input).finally(() => {
      if (running === done) running = undefined
    })
    running = done
    return done
  }

  return (input) => {
    if (!running) return start(input)
    if (next) {
      next.input = input
      return next.done
    }
    const waiting = { input, done: Promise.resolve() }
    // The current run's own callers get its error.
    waiting.done = running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return start(waiting.input)
      })
    next = waiting
    return waiting.done
  }
}
