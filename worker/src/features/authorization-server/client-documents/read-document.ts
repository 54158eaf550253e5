import { isRecord } from '@latchkey/session/internal'
import { siteName } from '../../../pages/theme.js'
import { MAX_APP_NAME, MAX_REDIRECT_URIS } from '../read-app.js'
import { isOwnerless, isRedirectUri } from '../redirect-uri.js'
import type { App } from '../settings.js'

/** Why a metadata document is not used, for the log alone. It has no part of the document. */
export class DocumentFault extends Error {
  override name = 'DocumentFault'
}

const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i

/**
 * The app that a metadata document describes (draft-ietf-oauth-client-id-metadata-document, section 4). It is public, and
 * nobody has registered it.
 *
 * @param url its `client_id`
 * @throws {DocumentFault}
 */
export async function readDocument(url: string, answer: Response): Promise<App> {
  if (answer.status !== 200) throw new DocumentFault('Its status is not 200.')
  if (!JSON_TYPE.test(answer.headers.get('content-type') ?? '')) {
    throw new DocumentFault('Its Content-Type is not JSON.')
  }
  const document = parsed(await answer.arrayBuffer())
  if (!isRecord(document)) throw new DocumentFault('It is not a JSON object.')
  const wrong = Object.entries(CHECKS).find(([name, isRight]) => !isRight(own(document, name), url))
  if (wrong) throw new DocumentFault(`Its ${wrong[0]} cannot be used.`)
  const { host } = new URL(url)
  return {
    id: url,
    name: siteName(own(document, 'client_name'), MAX_APP_NAME) ?? host,
    host,
    redirectUris: usableUris(own(document, 'redirect_uris')),
    secrets: [],
    isFirstParty: false,
    isDevice: false,
    alg: 'ES256',
  }
}

/** Each member, and what it may be; `undefined`: it is left out. */
const CHECKS: Readonly<Record<string, (value: unknown, url: string) => boolean>> = {
  client_id: (value, url) => value === url,
  redirect_uris: (value) =>
    Array.isArray(value) && value.length <= MAX_REDIRECT_URIS && usableUris(value).length > 0,
  client_name: (value) => value === undefined || siteName(value, MAX_APP_NAME) !== undefined,
  token_endpoint_auth_method: (value) => value === undefined || value === 'none',
  client_secret: (value) => value === undefined,
  grant_types: (value) =>
    value === undefined || (Array.isArray(value) && value.includes('authorization_code')),
}

/** The redirect URIs that this service can use. A private scheme needs a dot, because only a domain name has an owner. */
function usableUris(value: unknown): readonly string[] {
  const uris: readonly unknown[] = Array.isArray(value) ? value : []
  return uris.filter(
    (uri): uri is string => typeof uri === 'string' && isRedirectUri(uri) && !isOwnerless(uri),
  )
}

/** A member of the document, and none that every object has. */
function own(document: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined
}

function parsed(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undefined
  }
}
