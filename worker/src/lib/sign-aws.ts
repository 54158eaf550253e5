import { toHex } from './hex.js'

/** A key of AWS, with the service and the region that it signs for. */
export interface AwsClient {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly service: string
}

interface Unsigned {
  /** Without a query, and with a path that needs no encoding. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The headers of a POST with AWS's Signature Version 4.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function signAws(
  { accessKeyId, secretAccessKey, region, service }: AwsClient,
  { url, headers, body }: Unsigned,
  now: Date,
): Promise<Record<string, string>> {
  const { host, pathname } = new URL(url)
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const all: Record<string, string> = { ...headers, host, 'x-amz-date': time }
  const names = Object.keys(all).sort()
  const signed = names.join(';')
  const canonical = [
    'POST',
    pathname,
    '',
    ...names.map((name) => `${name}:${all[name]}`),
    '',
    signed,
    await sha256(body),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, await sha256(canonical)].join('\n')
  let key: Uint8Array<ArrayBuffer> = encode(`AWS4${secretAccessKey}`)
  for (const part of [day, region, service, 'aws4_request', text]) key = await hmac(key, part)
  const credential = `Credential=${accessKeyId}/${scope}`
  return {
    ...headers,
    'x-amz-date': time,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${signed}, Signature=${toHex(key)}`,
  }
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, encode(text)))
}

async function sha256(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', encode(text))))
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}
