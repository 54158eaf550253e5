import { describe, expect, it } from 'vitest'
import { createAuth } from '../../index.js'
import { customFetch } from '../../lib/symbols.js'
import email from '../../providers/email.js'
import { Browser, configWith, locationOf } from '../../test-support/browser.js'
import { withMail } from '../../test-support/email.js'
import { markOf } from './mark.js'

/** A deployment that sends by a service. @returns the subjects of its mails */
function sending() {
  const subjects: string[] = []
  const send: typeof fetch = async (_, init) => {
    subjects.push((JSON.parse(String(init?.body)) as { subject: string }).subject)
    return Response.json({ id: 'sent' })
  }
  const config = configWith({ providers: [email({ from: 'a@b.example', [customFetch]: send })] })
  const auth = createAuth(config)
  const env = { AUTH_RESEND_KEY: 're_key' }
  const browser = () => new Browser(config, { answer: (request) => auth.fetch(request, env) })
  return { subjects, browser }
}

async function ask(browser: Browser): Promise<string> {
  const answer = await browser.submit('/auth/signin/email', { email: 'ada@example.com' })
  const to = locationOf(answer)
  return (await browser.get(to.slice(to.indexOf('/auth')))).text()
}

describe('two mails to one address', () => {
  it('have two subjects, and each page names that of its own mail; none has the code', async () => {
    const { subjects, browser } = sending()
    const one = browser()
    const pages = [await ask(one), await ask(one), await ask(browser())]
    expect(new Set(subjects).size).toBe(3)
    for (const [index, page] of pages.entries()) {
      const [, mark = ''] =
        /^Sign in to localhost:8787 · ([A-Z]{4})$/.exec(subjects[index] ?? '') ?? []
      expect(mark).not.toBe('')
      expect(page).toContain(`The right email has <strong>${mark}</strong> in its subject.`)
    }
    expect(subjects.join()).not.toMatch(/\d{6}/)
  })

  it('an app that sends by a function of its own may write another subject, so the page names none', async () => {
    const { ask: send, mails } = withMail()
    const { browser, flow } = await send('ada@example.com')
    expect(mails[0]?.mail.subject).toContain(markOf(flow))
    const html = await (
      await browser.get(`/auth/verify-request?provider=email&flow=${flow}`)
    ).text()
    expect(html).toContain('Check your email')
    expect(html).not.toContain('in its subject')
  })
})
