/** Reads the latest mail to an address. */
export async function mailTo(address: string, sandbox = 'http://localhost:8788') {
  for (;;) {
    const answer = await fetch(`${sandbox}/mailbox.json`)
    const mails: { to: string; text: string }[] = await answer.json()
    const text = mails.find(({ to }) => to === address)?.text
    if (text) return { link: /http\S+/.exec(text)?.[0], code: /^\d{6}$/m.exec(text)?.[0] }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
