import { isPublicSuffix, parseOriginPattern, trustedOriginsOf } from '@latchkey/host/shared'
import { finding } from '../finding.js'
import { environmentOf, placeOf, type Rule, textIn } from '../read.js'
import { isAbove, ownUrl } from './addresses.js'

/** What the service takes for a domain. */
const DOMAIN = /^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i

const domain: Rule = (deployment) => {
  const { variables } = deployment
  const name = textIn(variables, 'AUTH_COOKIE_DOMAIN')
  const host = ownUrl(variables)?.hostname
  if (name === undefined || isPublic(name)) return []
  const isName = DOMAIN.test(name)
  if (isName && (host === undefined || isAbove(name, host))) return []
  const above = host?.split('.').slice(-2).join('.') ?? 'example.com'
  return [
    finding('cookie-domain', {
      where: placeOf(deployment, 'AUTH_COOKIE_DOMAIN'),
      what: isName
        ? `AUTH_COOKIE_DOMAIN is neither ${host}, the host of AUTH_URL, nor a domain above it.`
        : 'AUTH_COOKIE_DOMAIN is not a domain.',
      why: 'Browsers drop the session cookie, so that nobody is signed in.',
      fix: `AUTH_COOKIE_DOMAIN=${isPublic(above) ? (host ?? above) : above}`,
    }),
  ]
}

const publicDomain: Rule = (deployment) => {
  const name = textIn(deployment.variables, 'AUTH_COOKIE_DOMAIN')
  if (name === undefined || !isPublic(name)) return []
  return [
    finding('cookie-domain-public', {
      where: placeOf(deployment, 'AUTH_COOKIE_DOMAIN'),
      what: 'AUTH_COOKIE_DOMAIN is a public suffix: anybody can have a site below it.',
      why: 'Browsers drop the session cookie, so that nobody is signed in.',
      fix: 'AUTH_COOKIE_DOMAIN=<a domain of your own>, or remove it',
    }),
  ]
}

function isPublic(name: string): boolean {
  const host = name.toLowerCase().replace(/^\.|\.$/g, '')
  const isTopLevel = /^[a-z0-9-]+$/.test(host) && host !== 'localhost'
  return isTopLevel || (DOMAIN.test(host) && isPublicSuffix(host))
}

const invalidOrigin: Rule = (deployment) =>
  entriesWhere(deployment.variables, (entry) => !isOrigin(entry, () => false)).map((place) =>
    finding('origin-invalid', {
      where: placeOf(deployment, 'AUTH_TRUSTED_ORIGINS'),
      what: `Entry ${place} of AUTH_TRUSTED_ORIGINS is not an origin.`,
      why: 'The service refuses to start with it.',
      fix: 'AUTH_TRUSTED_ORIGINS=https://app.example.com   # scheme and host, no path',
    }),
  )

const wideOrigin: Rule = (deployment) =>
  entriesWhere(
    deployment.variables,
    (entry) => isOrigin(entry, () => false) && !isOrigin(entry, isPublicSuffix),
  ).map((place) =>
    finding('origin-wide', {
      where: placeOf(deployment, 'AUTH_TRUSTED_ORIGINS'),
      what: `Entry ${place} of AUTH_TRUSTED_ORIGINS stands for every site below a public suffix.`,
      why: 'Anybody can have a site there, and people would be sent to it. The service refuses to start.',
      fix: 'AUTH_TRUSTED_ORIGINS=https://*.<your project>.pages.dev   # your own part of it',
    }),
  )

/** The places in the list, from 1, of the entries for which something holds. An entry may be anything, so that none is shown. */
function entriesWhere(
  variables: Parameters<typeof environmentOf>[0],
  holds: (entry: string) => boolean,
): readonly number[] {
  const entries = trustedOriginsOf(environmentOf(variables))
  return entries.flatMap((entry, at) => (holds(entry) ? at + 1 : []))
}

function isOrigin(entry: string, isPublicHost: (host: string) => boolean): boolean {
  try {
    parseOriginPattern(entry, isPublicHost)
    return true
  } catch {
    return false
  }
}

export const cookiesAndOrigins: readonly Rule[] = [domain, publicDomain, invalidOrigin, wideOrigin]
