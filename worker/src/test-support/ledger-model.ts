import type { Ledger } from '../stores/ledger/rules.js'
import type {
  DecidedCutoff,
  LedgerDocument,
  MailedProof,
  SessionOwner,
} from '../stores/ledger/types.js'
import { MAX_WRONG_CODES } from '../stores/ledger/types.js'

/** A call of any of the ledger's methods. */
export type LedgerCall = {
  readonly [Name in keyof Ledger]-?: readonly [name: Name, ...given: Parameters<Ledger[Name]>]
}[keyof Ledger]

/** Longer than any request to a provider. Seconds. */
const LEASE = 30
/** How long a deleted document is known as deleted. Seconds. */
const DAY = 86_400

/**
 * The promises of a ledger, for a few sessions that are known beforehand. It knows each ended
 * session, and needs no times up to which sessions are over. Rows live as long as the model.
 */
export class LedgerModel {
  readonly #owners: Readonly<Record<string, SessionOwner>>
  #state = {
    consumed: new Set<string>(),
    over: new Set<string>(),
    revoked: new Set<string>(),
    cutoffs: new Map<string, DecidedCutoff>(),
    tokens: new Map<string, { version: number; sealed: string | null; leased: number }>(),
    counts: new Map<string, { count: number; ends: number }>(),
    mails: new Map<string, MailedProof & { wrong: number }>(),
    documents: new Map<string, LedgerDocument & { ends?: number }>(),
  }

  /** @param owners the sessions, by `sid` */
  constructor(owners: Readonly<Record<string, SessionOwner>>) {
    this.#owners = owners
  }

  copy(): LedgerModel {
    const copy = new LedgerModel(this.#owners)
    copy.#state = structuredClone(this.#state)
    return copy
  }

  /** Equal for models that give the same answers. */
  get key(): string {
    const parts = Object.values(this.#state).map((part) =>
      [...part].map((one) => JSON.stringify(one)),
    )
    return JSON.stringify(parts.map((part) => part.toSorted()))
  }

  /** The sessions and the people whose endings are listed. */
  get listed(): { sids: string[]; subs: string[] } {
    const { revoked, cutoffs } = this.#state
    return { sids: [...revoked].toSorted(), subs: [...cutoffs.keys()].toSorted() }
  }

  /** @param now seconds since the epoch @returns what the ledger is to answer */
  answer(call: LedgerCall, now: number): unknown {
    const { consumed, over, revoked, cutoffs, tokens, counts, mails, documents } = this.#state
    const mailed = (key: string) => {
      const mail = mails.get(key)
      return mail && mail.expires > now ? mail : undefined
    }
    const documentAt = (key: string): LedgerDocument | undefined => {
      const { ends, ...document } = documents.get(key) ?? { version: 0, content: null, ends: 0 }
      if (ends === undefined) return document
      if (ends <= now) return undefined
      return document.content === null ? document : { ...document, expires: ends }
    }
    const remove = (key: string, version: number) => {
      const ends = Math.max(now + DAY, documents.get(key)?.ends ?? 0)
      documents.set(key, { version, content: null, ends })
    }
    const withDocument = (answer: object, key: string) => {
      const document = documentAt(key)
      return document ? { ...answer, document } : answer
    }
    switch (call[0]) {
      case 'consume': {
        const isNew = !consumed.has(call[1])
        consumed.add(call[1])
        return isNew
      }
      case 'revoke':
        over.add(call[1])
        revoked.add(call[1])
        tokens.delete(call[1])
        return undefined
      case 'isRevoked':
        return (call[2] ? over : revoked).has(call[1])
      case 'cutOff': {
        const [, { sub, until, except }, expires] = call
        if (except !== undefined && over.has(except)) return false
        for (const [sid, owner] of Object.entries(this.#owners)) {
          if (owner.sub === sub && owner.auth_time <= until && sid !== except) over.add(sid)
        }
        const latest = Math.max(expires, cutoffs.get(sub)?.expires ?? 0)
        const spared = except === undefined ? {} : { except }
        cutoffs.set(sub, { sub, until, ...spared, expires: latest })
        return true
      }
      case 'repeatCutOff':
        return cutoffs.get(call[1])
      case 'refreshedTokens': {
        const { version, sealed = null } = tokens.get(call[1]) ?? {}
        return sealed === null ? undefined : { version, sealed }
      }
      case 'claimRefresh': {
        const [, sid, version] = call
        if (revoked.has(sid)) return { state: 'over' }
        const token = tokens.get(sid)
        if (token && token.version > version) {
          const { version: newer, sealed } = token
          return sealed === null ? { state: 'taken' } : { state: 'newer', version: newer, sealed }
        }
        const isSame = token?.version === version
        if (isSame && token.leased > now) return { state: 'taken' }
        tokens.set(sid, { version, sealed: isSame ? token.sealed : null, leased: now + LEASE })
        return { state: 'yours' }
      }
      case 'settleRefresh': {
        const [, sid, version, sealed] = call
        const token = tokens.get(sid)
        if (token?.version !== version) return undefined
        const next = sealed === undefined ? {} : { version: version + 1, sealed }
        tokens.set(sid, { ...token, ...next, leased: 0 })
        return undefined
      }
      case 'admit': {
        const [, key, limits] = call
        const running = limits.map(({ name, max, period }) => {
          const entry = counts.get(`${key} ${name}`)
          const isOn = entry && entry.ends > now
          return { id: `${key} ${name}`, max, ...(isOn ? entry : { count: 0, ends: now + period }) }
        })
        const waits = running.flatMap(({ count, max, ends }) => (count >= max ? ends - now : []))
        if (waits.length > 0) return Math.max(...waits)
        for (const { id, count, ends } of running) counts.set(id, { count: count + 1, ends })
        return 0
      }
      case 'forgive':
        for (const name of call[2]) counts.delete(`${call[1]} ${name}`)
        return call[3] === undefined ? undefined : documentAt(`way\n${call[3]}`)
      case 'startVerification':
        mails.set(call[1], { ...call[2], wrong: 0 })
        return undefined
      case 'findVerification': {
        const mail = mailed(call[1])
        return mail?.link === call[2] ? mail.sealed : undefined
      }
      case 'redeemVerification': {
        const [, key, proof] = call
        const mail = mailed(key)
        if (!mail || ('link' in proof && proof.link !== mail.link)) return { state: 'over' }
        if ('code' in proof && mail.wrong >= MAX_WRONG_CODES) return { state: 'spent' }
        if ('code' in proof && proof.code !== mail.code) {
          mail.wrong++
          return { state: mail.wrong < MAX_WRONG_CODES ? 'wrong' : 'spent' }
        }
        mails.delete(key)
        return withDocument({ state: 'redeemed', sealed: mail.sealed }, `way\n${key}`)
      }
      case 'withdrawVerification':
        if (call[2] === undefined || mails.get(call[1])?.link === call[2]) mails.delete(call[1])
        return undefined
      case 'document':
        return documentAt(call[1])
      case 'changeDocument': {
        const [, key, version, content] = call
        if ((documentAt(key)?.version ?? 0) !== version) return false
        if (content === null) remove(key, version + 1)
        else documents.set(key, { version: version + 1, content })
        return true
      }
      case 'insertDocuments':
        return call[1].map(({ key, content }) => {
          const document = documentAt(key)
          if (document && document.content !== null) return document
          if (content !== null)
            documents.set(key, { version: (document?.version ?? 0) + 1, content })
          return null
        })
      case 'giveBack':
        consumed.delete(call[1])
        return undefined
      case 'isConsumed':
        return consumed.has(call[1])
      case 'enter': {
        const [, name, , key] = call
        const isFirst = !consumed.has(name)
        consumed.add(name)
        return isFirst ? withDocument({ isFirst }, key) : { isFirst }
      }
      case 'liveDocument': {
        const [, key, { sid, also }, change] = call
        const isOver = over.has(sid) || (also !== undefined && revoked.has(also))
        const { version = 0, content: before = null } = documentAt(key) ?? {}
        const isChanged = !isOver && change?.version === version
        if (isChanged) {
          const lines = (before ?? '').split('\n')
          const content = change.content ?? [...lines.slice(0, -1), change.last].join('\n')
          const ends = change.expires === undefined ? {} : { ends: change.expires }
          documents.set(key, { version: version + 1, content, ...ends })
        }
        const document = documentAt(key)
        if (document?.content === null) return { isOver, isChanged, deleted: document.version }
        return { isOver, isChanged, ...(document ? { document } : {}) }
      }
      case 'documentsOf': {
        const [, home, kinds] = call
        const keys = [...documents.keys()].filter((key) =>
          kinds.some((kind) => key.startsWith(`${kind}\n${home}\n`)),
        )
        return keys.flatMap((key) => {
          const document = documentAt(key)
          return document && document.content !== null ? { key, ...document } : []
        })
      }
      case 'endAll': {
        const [, sids, , keys] = call
        for (const sid of sids) {
          over.add(sid)
          revoked.add(sid)
          tokens.delete(sid)
        }
        for (const key of keys) {
          const { version, content } = documentAt(key) ?? { version: 0 }
          if (content !== null) remove(key, version + 1)
        }
        return undefined
      }
      case 'revokedSince':
        throw new TypeError('The model lists nothing: see `listed`.')
    }
  }
}
