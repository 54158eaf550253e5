import { isPublicSuffix, isSharedMailHost } from '@latchkey/host/shared'
import { finding } from '../finding.js'
import { type Deployment, mayBeSet, placeOf, type Rule, textIn } from '../read.js'

const VARIABLE = /^(AUTH_COMPANY_[A-Z0-9_]+?)_(?:DOMAINS|ISSUER|ID|SECRET|NAME|ONLY|JOIN|FACTORS)$/

/** Without one of these nobody signs in by a company. */
const NEEDED = ['DOMAINS', 'ISSUER', 'ID']

/** What the variables of each company begin with. */
function companiesIn({ variables }: Deployment): readonly string[] {
  const found = [...variables.keys()].flatMap((name) => VARIABLE.exec(name)?.[1] ?? [])
  return [...new Set(found)]
}

const half: Rule = (deployment) =>
  companiesIn(deployment).flatMap((company) => {
    const missing = NEEDED.map((end) => `${company}_${end}`).filter(
      (name) => !mayBeSet(deployment, name),
    )
    if (missing.length === 0) return []
    return finding('company-half', {
      where: placeOf(deployment, missing[0] ?? company),
      what: `A company is set up in part: ${missing.join(', ')} is missing.`,
      why: 'Its people read that the service is not set up, and nobody signs in by it.',
      fix: `set ${missing.join(', ')}, or remove the others of ${company}_…`,
    })
  })

const domain: Rule = (deployment) => {
  const owners = new Map<string, string>()
  return companiesIn(deployment).flatMap((company) => {
    const name = `${company}_DOMAINS`
    const domains = new Set(
      (textIn(deployment.variables, name) ?? '').toLowerCase().split(/\s+/).filter(Boolean),
    )
    return [...domains].flatMap((one) => {
      const wrong = wrongWith(one, owners.get(one))
      owners.set(one, company)
      if (wrong === undefined) return []
      return finding('company-domain', {
        where: placeOf(deployment, name),
        what: `The domain ${one} cannot count: ${wrong}.`,
        why: 'The people of the company read that the service is not set up.',
        fix: `take ${one} out of ${name}`,
      })
    })
  })
}

/** At least two labels of letters, digits and hyphens, or of other scripts. */
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9\P{ASCII}](?:[a-z0-9\P{ASCII}-]{0,61}[a-z0-9\P{ASCII}])?\.)+[a-z\P{ASCII}][a-z0-9\P{ASCII}-]*$/u

function wrongWith(one: string, owner: string | undefined): string | undefined {
  const host = DOMAIN.test(one) ? URL.parse(`http://${one}`)?.hostname : undefined
  if (host === undefined) return 'it is not a whole domain'
  if (isPublicSuffix(host)) return 'strangers have sites below it'
  if (isSharedMailHost(host)) return 'anybody gets an address there'
  return owner === undefined ? undefined : `${owner}_DOMAINS has it too`
}

export const companies: readonly Rule[] = [half, domain]
