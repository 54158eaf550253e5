import { parseSender } from '@latchkey/worker/migrate'
import { finding } from '../finding.js'
import { isApp, placeOf, type Rule, textIn } from '../read.js'

/** Keys that do not belong to a mail service. */
const OTHER_KEY = /^AUTH_(?:APP|OPERATOR|PUBLIC|APPLE_PRIVATE|TURNSTILE_(?:SITE|SECRET))_KEY$/

const unsent: Rule = (deployment) => {
  const { variables, wrangler, isWhole } = deployment
  if (textIn(variables, 'AUTH_EMAIL_FROM') === undefined || isApp(deployment)) return []
  if (wrangler?.sendEmail.has('EMAIL')) return []
  // The key may be a secret that only the platform has.
  const hasKey = !isWhole || [...variables.keys()].some((name) => isMailKey(name, variables))
  if (hasKey) return []
  const where = placeOf(deployment, 'AUTH_EMAIL_FROM')
  if (!wrangler) {
    const texts = {
      where,
      what: 'AUTH_EMAIL_FROM is set, and there is no key of a mail service.',
      why: 'Sign-in by email is off, unless your code sends the mails, by `sendVerificationRequest`.',
      fix: 'AUTH_RESEND_KEY=<key>',
    }
    return [{ ...finding('mail-unsent', texts), level: 'warning' }]
  }
  return [
    finding('mail-unsent', {
      where,
      what: 'AUTH_EMAIL_FROM is set, and there is neither a binding EMAIL nor the key of a mail service.',
      why: 'Sign-in by email is off, because nothing can send a mail.',
      fix: wrangler.isJson
        ? '"send_email": [{ "name": "EMAIL" }]'
        : '[[send_email]]\nname = "EMAIL"',
    }),
  ]
}

function isMailKey(name: string, variables: Parameters<typeof textIn>[0]): boolean {
  return (
    /^AUTH_\w+_KEY$/.test(name) && !OTHER_KEY.test(name) && textIn(variables, name) !== undefined
  )
}

const from: Rule = (deployment) => {
  const sender = textIn(deployment.variables, 'AUTH_EMAIL_FROM')
  if (sender === undefined || parseSender(sender)) return []
  return [
    finding('mail-from', {
      where: placeOf(deployment, 'AUTH_EMAIL_FROM'),
      what: 'AUTH_EMAIL_FROM is not an address, or a name and an address.',
      why: 'Sign-in by email is off: no mail can be sent without a sender.',
      fix: 'AUTH_EMAIL_FROM=Example <sign-in@example.com>',
    }),
  ]
}

export const mail: readonly Rule[] = [unsent, from]
