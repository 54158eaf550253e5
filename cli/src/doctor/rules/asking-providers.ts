import { PRESETS } from '@latchkey/worker/migrate'
import { printable } from '../../printable.js'
import { shellWord } from '../../shell-word.js'
import { type Finding, finding } from '../finding.js'
import { type Asked, isOfService, locationOf } from '../live/ask-providers.js'
import { type Answer, isSilent } from '../live/get.js'
import { type Named, namedInRefusal } from './named-in-refusal.js'

/** The result of asking a provider: a finding, or the reason why there is none. */
export type Told = { readonly finding: Finding } | { readonly untold: string }

/**
 * Judges the answers of a provider. Only a refusal is a finding. A page is not.
 *
 * @param base of the service
 */
export function judge(asked: Asked, base: string): Told {
  const { start, answers } = asked
  if (!start || isSilent(start)) return { untold: 'the service began no sign-in' }
  const location = locationOf(start)
  if (answers.length === 0) return judgeStart(asked, base, start, location)
  for (const answer of answers) {
    if (isSilent(answer)) return away(asked, answer.url, answer.silent)
    if (answer.status >= 500) return away(asked, answer.url, `answers ${answer.status}`)
    const code = namedInRefusal(answer)
    if (code) return refused(asked, code, originOf(answer))
  }
  const last = answers.at(-1)
  const next = last && locationOf(last)
  if (next && isOfService(next, base, asked)) {
    return { untold: 'it redirects to the service without naming the redirect URI or the client' }
  }
  if (next) return { untold: 'it redirects on and on' }
  const status = last && !isSilent(last) ? last.status : 200
  return status >= 400
    ? { untold: `it answers ${status}, and does not say why` }
    : { untold: 'it shows a page' }
}

/** The service itself did not lead to the provider. */
function judgeStart(asked: Asked, base: string, start: Answer, location: URL | undefined): Told {
  const error = location?.searchParams.get('error')
  if (location && isOfService(location, base, asked) && error === 'OAuthCallbackError') {
    return away(asked, start.url, 'does not answer the service')
  }
  if (error === 'Configuration' || start.status >= 500) {
    return {
      finding: finding('configuration', {
        where: start.url,
        what: `The service cannot begin a sign-in with ${nameOf(asked)}.`,
        why: 'Nobody can sign in with it. The log of the service names the reason.',
        fix: 'npx wrangler tail   # on Node: the log of the app',
      }),
    }
  }
  return { untold: `the service began no sign-in (${start.status})` }
}

/** The provider, or its discovery that the service asks, is not there. */
function away(asked: Asked, url: string, what: string): Told {
  // The query has the state of the sign-in.
  const { origin, pathname } = new URL(url)
  const address = printable(origin + pathname)
  return {
    finding: finding('provider-away', {
      where: address,
      what: `${nameOf(asked)} ${what}.`,
      why: 'Nobody can sign in with it for now.',
      fix: `curl -i ${shellWord(address)}   # and ${prefixOf(asked)}_ISSUER, if the provider has one`,
    }),
  }
}

function refused(asked: Asked, code: Named, origin: string): Told {
  const callback = printable(asked.redirectUri)
  const why = 'Nobody can sign in with it: people see an error at the provider.'
  const where = `${prefixOf(asked)}_ID`
  return {
    finding:
      code === 'redirect-uri'
        ? finding(code, {
            where: callback,
            what: `${nameOf(asked)} says that this redirect URI is not registered.`,
            why,
            fix: `${callback}   # register exactly this at ${origin}`,
          })
        : finding(code, {
            where: origin,
            what: `${nameOf(asked)} does not know the client of ${where}, or does not allow it.`,
            why,
            fix: `${where}=<client id>   # and its ${prefixOf(asked)}_SECRET, both of this provider`,
          }),
  }
}

function nameOf({ provider }: Asked): string {
  return printable(provider.name).slice(0, 60)
}

function prefixOf({ provider: { id } }: Asked): string {
  const preset = PRESETS.find(([, make]) => make().id === id)
  return preset?.[0] ?? `AUTH_${printable(id).toUpperCase().replaceAll('-', '_')}`
}

function originOf({ url }: Answer): string {
  return URL.canParse(url) ? new URL(url).origin : 'the provider'
}
