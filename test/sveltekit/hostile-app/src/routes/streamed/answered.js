const waiting = []

/** Resolves when the test has the beginning of the answer. */
export const answered = () => new Promise((resolve) => waiting.push(resolve))

export function go() {
  for (const resolve of waiting.splice(0)) resolve()
}
