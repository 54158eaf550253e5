/** An answer of a server. */
export interface Answer {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  /** The beginning of the body at most, if that is long. */
  readonly text: string
  /** When it was asked, and when its answer began. Milliseconds since the epoch. */
  readonly asked: number
  readonly answered: number
}

/** A server that gave no answer, or no whole one. */
export interface Silence {
  readonly url: string
  /** Why, as the end of a sentence. */
  readonly silent: string
}

export type Outcome = Answer | Silence

/** A server may take no longer for its answer with its body. Milliseconds. */
const TIMEOUT = 10_000
/** Bytes. */
const MAX_BODY = 512 * 1024

/** Sends one request, and follows no redirect. */
export type Get = (url: string, init?: RequestInit) => Promise<Outcome>

/**
 * By the network of this machine.
 *
 * @param timeout milliseconds
 */
export function getWithin(timeout = TIMEOUT): Get {
  return async (url, init = {}) => {
    const asked = Date.now()
    const signal = AbortSignal.timeout(timeout)
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal })
      const answered = Date.now()
      const { status, headers, body } = response
      return { url, status, headers, text: await beginningOf(body), asked, answered }
    } catch (error) {
      return { url, silent: reasonOf(error, timeout) }
    }
  }
}

/** An endless body is read up to the limit. */
async function beginningOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  let size = 0
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += decoder.decode(part.value, { stream: true })
    size += part.value.byteLength
    if (size < MAX_BODY) continue
    reader?.cancel().catch(() => {})
    break
  }
  return text
}

export function isSilent(outcome: Outcome): outcome is Silence {
  return 'silent' in outcome
}

function reasonOf(error: unknown, timeout: number): string {
  const { name, code, cause } = error as { name?: string; code?: unknown; cause?: unknown }
  if (name === 'TimeoutError') return `does not answer within ${timeout / 1000} s`
  const codes = [code, (cause as { code?: unknown } | undefined)?.code]
  const known = codes.find((one) => typeof one === 'string' && /^[A-Z][A-Z_0-9]+$/.test(one))
  return `cannot be reached (${known ?? 'it breaks off'})`
}

/** The JSON of an answer; `undefined`: it has none. */
export function jsonOf({ text }: Pick<Answer, 'text'>): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
