import { ProcessCounter } from '../../http/process-counter.js'
import { companyIn } from '../../lib/company-id.js'
import { FIELDS } from '../../pages/shared-styles.js'
import type { Feature } from '../../service/feature.js'
import type { Environment } from '../../types.js'
import { account } from '../account/index.js'
import { email } from '../email/index.js'
import { openid } from '../openid/index.js'
import { ways } from '../ways/index.js'
import { managed } from './account.js'
import { backchannelLogout } from './backchannel-logout.js'
import { entrance, instead } from './entrance.js'
import { joining } from './flow-part.js'
import { initiate } from './initiate.js'
import { detour, join, joinAs, joinBy, joinPage, resumed } from './join.js'
import { translations } from './load-translations.js'
import { ends, forgetNotesOf, isLoggedOut, isProofOver } from './logged-out.js'
import { checkAdding, checkOnly, checkRemoving, isOverFor } from './only.js'
import { findProvider } from './provider.js'
import { noteProved, noteSession, sessionEnded } from './session-rows.js'
import { Companies, checkOptions, type Memory } from './settings.js'
import { subOfCompany } from './sub-of-company.js'
import { texts } from './texts.js'
import type { CompaniesOptions } from './types.js'

export type { CompaniesOptions, Company, SubjectOfCompany } from './types.js'

/**
 * Customers sign their people in by their own OpenID providers, which the sign-in page finds by the domain of the address
 * (docs/companies.md).
 *
 * @param options `find` and `get` answer a company; variables name more of them, and come first
 * @throws {TypeError} there is one of the functions without the other
 * @example
 * features: [companies({ find: (domain) => companyWith(domain), get: (id) => companyOf(id) })]
 */
export function companies(options: CompaniesOptions = {}): Feature<Companies> {
  checkOptions(options)
  // A configuration that is made for each request asks no more often.
  const memories = new WeakMap<Environment, Memory>()
  return {
    name: 'companies',
    needs: [openid, email, ways, account],
    configure(_config, { env }) {
      const memory = memories.get(env) ?? {
        answers: new Map(),
        counts: new ProcessCounter(),
        failedAt: Number.NEGATIVE_INFINITY,
      }
      memories.set(env, memory)
      const companies = new Companies(options, env, memory)
      return companies.isOn ? companies : undefined
    },
    pages: {
      texts,
      translations,
      styles: [FIELDS],
      codes: {
        'AccessDenied company_only': 'companyOnly',
        'AccessDenied company_domain': 'companyDomain',
        'OAuthCallbackError company_unavailable': 'companyUnavailable',
      },
      routes: {
        '/company/join': { GET: joinPage, POST: join },
        '/initiate/:provider': { GET: initiate, POST: initiate, isThere: isOfCompany },
        '/backchannel-logout/:provider': {
          POST: backchannelLogout,
          isData: true,
          isThere: isOfCompany,
        },
      },
    },
    signIn: {
      kinds: { company: entrance.kind },
      providers: [entrance],
      detour,
      resumed,
      instead: joinBy,
      check: checkOnly,
      async completed(request, signedIn, purpose) {
        return joining.of(purpose) && joinAs(request, signedIn, purpose)
      },
    },
    session: {
      starting: noteSession,
      proved: noteProved,
      async endedBy(request, standing) {
        const isOver =
          (await isLoggedOut(request, standing)) || (await isOverFor(request, standing))
        return isOver ? 'company' : undefined
      },
      ended(request, session) {
        return companyIn(session.provider) === undefined
          ? undefined
          : sessionEnded(request, session)
      },
    },
    person: {
      gone: forgetNotesOf,
    },
    operator: { operations: { subOfCompany } },
    ports: {
      entrance: { provider: findProvider, instead },
      manager: { of: managed, checkAdding, checkRemoving },
      logouts: { ends, isProofOver },
    },
  }
}

function isOfCompany(_request: unknown, id: string): boolean {
  return companyIn(id) !== undefined
}
