import { PRESETS, resolveProviders } from '@latchkey/worker/migrate'
import { printable } from '../../printable.js'
import { type Finding, finding } from '../finding.js'
import {
  type Deployment,
  environmentOf,
  mayBeSet,
  placeOf,
  type Rule,
  textIn,
  type Variables,
} from '../read.js'
import { isLocal, publicUrl } from './addresses.js'

type Preset = (typeof PRESETS)[number]

/** Stands for a value that is missing, to see whether it is all that is missing. */
const SOME_SECRET = 'x'
const SOME_ISSUER = 'https://id.example.com'

/** Would the service offer the preset's provider with these variables beside those that are set? */
function works([, preset]: Preset, variables: Variables, more: Record<string, string>): boolean {
  return resolveProviders([preset], { ...environmentOf(variables), ...more }).usable.size > 0
}

const WHY_OFF = 'The provider is off: nobody can sign in with it.'

const half: Rule = (deployment) => PRESETS.flatMap((preset) => halfOf(preset, deployment))

function halfOf(preset: Preset, deployment: Deployment): readonly Finding[] {
  const { variables } = deployment
  const [prefix] = preset
  const [id, secret, issuer] = [`${prefix}_ID`, `${prefix}_SECRET`, `${prefix}_ISSUER`]
  const isIdSet = textIn(variables, id) !== undefined
  if (!isIdSet) {
    if (textIn(variables, secret) === undefined || mayBeSet(deployment, id)) return []
    const what = `${secret} is set, and ${id} is not.`
    return [
      finding('provider-half', {
        where: placeOf(deployment, id),
        what,
        why: WHY_OFF,
        fix: `${id}=<client id>`,
      }),
    ]
  }
  if (mayBeSet(deployment, secret) || works(preset, variables, { [issuer]: SOME_ISSUER })) return []
  // Apple's secret is made of a key.
  const others = [...variables.keys()].filter(
    (name) => name.startsWith(`${prefix}_`) && ![id, issuer].includes(name),
  )
  const fix = prefix === 'AUTH_APPLE' ? APPLE : `${secret}=<client secret>`
  const what =
    others.length === 0
      ? `${id} is set, and ${secret} is not.`
      : `${id} is set, and what else the provider needs is set in part.`
  return [finding('provider-half', { where: placeOf(deployment, secret), what, why: WHY_OFF, fix })]
}

const APPLE = 'AUTH_APPLE_TEAM_ID=…, AUTH_APPLE_KEY_ID=… and AUTH_APPLE_PRIVATE_KEY=…'

const issuerMissing: Rule = (deployment) =>
  PRESETS.flatMap((preset) => {
    const { variables } = deployment
    const [prefix] = preset
    const [id, secret, issuer] = [`${prefix}_ID`, `${prefix}_SECRET`, `${prefix}_ISSUER`]
    if (textIn(variables, id) === undefined || mayBeSet(deployment, issuer)) return []
    const withSecret = { [secret]: textIn(variables, secret) ?? SOME_SECRET }
    if (works(preset, variables, withSecret)) return []
    if (!works(preset, variables, { ...withSecret, [issuer]: SOME_ISSUER })) return []
    const what = `${id} is set, and the provider needs ${issuer} too.`
    const fix = `${issuer}=https://<address of the provider>`
    return [
      finding('issuer-missing', { where: placeOf(deployment, issuer), what, why: WHY_OFF, fix }),
    ]
  })

/** A discovery document has this at the end of its address, and its issuer has not (OpenID Connect Discovery, section 4). */
const DOCUMENT = /\/\.well-known\/[\w-]+\/?$/

const issuerIsDocument: Rule = ({ variables }) =>
  issuersIn(variables)
    .filter(([, { value }]) => DOCUMENT.test(String(value)))
    .map(([name, { value, where }]) =>
      finding('issuer-invalid', {
        where,
        what: `${name} is the address of a discovery document, and not the issuer.`,
        why: WHY_OFF,
        fix: `${name}=${printable(String(value).replace(DOCUMENT, ''))}   # and as "issuer" of that document has it`,
      }),
    )

/** Its tokens name a tenant by its GUID, whatever name the address has. */
const issuerIsDomain: Rule = ({ variables }) =>
  issuersIn(variables)
    .filter(([, { value }]) => TENANT_BY_DOMAIN.test(String(value)))
    .map(([name, { where }]) =>
      finding('issuer-invalid', {
        where,
        what: `${name} names a tenant of Microsoft Entra by its domain.`,
        why: 'The tokens name the tenant by its id: every sign-in fails, and the log says "another issuer".',
        fix: `${name}=https://login.microsoftonline.com/<tenant id>/v2.0   # a GUID`,
      }),
    )

const TENANT_BY_DOMAIN =
  /^https:\/\/login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn)\/[\w-]+(?:\.[\w-]+)+\//i

function issuersIn(variables: Variables) {
  return [...variables].filter(
    ([name, { value }]) => /^AUTH_\w+_ISSUER$/.test(name) && value !== '',
  )
}

const issuerInvalid: Rule = ({ variables }) =>
  issuersIn(variables)
    .filter(([, { value }]) => !isIssuer(String(value), publicUrl(variables) === undefined))
    .map(([name, { where }]) =>
      finding('issuer-invalid', {
        where,
        what: `${name} is not an https URL, or has a query or fragment.`,
        why: 'No issuer is like that (OpenID Connect Discovery, section 4.1): its endpoints cannot be found.',
        fix: `${name}=https://<address of the provider>`,
      }),
    )

/** @param mayBeLocal a provider on this machine is for a service on this machine */
function isIssuer(text: string, mayBeLocal: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || url.username || url.password || /[?#]/.test(text)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && mayBeLocal && isLocal(url))
}

export const providers: readonly Rule[] = [
  half,
  issuerMissing,
  issuerInvalid,
  issuerIsDocument,
  issuerIsDomain,
]
