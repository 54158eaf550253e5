/** Asks the app's own routes, as a page does. */
export async function load({ fetch }) {
  const answer = await fetch('/app/who')
  return { answer: await answer.json() }
}
