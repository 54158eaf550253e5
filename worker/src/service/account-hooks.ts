import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../http/request.js'
import type { Texts, Words } from '../languages/texts.js'
import type { Markup } from '../pages/markup.js'
import type { ReadPerson } from '../person/found-way.js'
import type { Person, PersonWay } from '../person/person.js'
import type { SignedIn } from '../session/signed-in.js'
import type { ProviderType } from '../types.js'

/** A section of the account page: one of the feature's own, or the ways of a kind. */
export type AccountSection = OwnSection | WaysSection

interface SectionHead {
  /** The end of its path, such as `keys`. */
  readonly name: string
  title(words: Words): string
}

interface OwnSection extends SectionHead {
  /** Left out: it is always there. */
  isThere?(request: AuthRequest): boolean
  /**
   * @param claims of the signed-in person
   * @param place the words of the page, and the fields that its forms need
   */
  show(request: AuthRequest, claims: SessionClaims, place: SectionPlace): Promise<Markup>
}

/** It is there if such a way can be added. Otherwise those that there are stand among the other ways. */
interface WaysSection extends SectionHead {
  readonly ways: WayKind
}

/** A kind of way that is neither an account nor an address. Its person may name each. */
export interface WayKind {
  /** The type of its provider. */
  readonly type: ProviderType
  /** @param way its own name */
  is(way: string): boolean
  /** The name in lists of a way without a name. */
  readonly name: string
  /** The way after a sign-in with it. @returns the same value: nothing is to be kept */
  used(way: PersonWay, signedIn: SignedIn): PersonWay
  /**
   * The texts of pages: for a person who has none, for a person without another way (that it is
   * the only one, and the advice to add one), and the label of the field of its name.
   */
  readonly labels: Readonly<Record<'none' | 'only' | 'onlyAdvice' | 'nameLabel', AccountText>>
  /** A further text of pages about one, such as its place. */
  about(way: PersonWay): AccountText
  /**
   * The person's ways of this kind, as the section's script reports them to the browser, in JSON, with what the person is
   * called now.
   *
   * @param claims of the signed-in person
   */
  accepted(request: AuthRequest, person: Person, claims: SessionClaims): Promise<readonly object[]>
}

/** The name of a text of the section `account`. */
type AccountText = keyof Texts['account']

/** Somebody who decides how a person signs in, in the place of the person, such as a company. */
export interface Manager {
  /** For the account page of a signed-in person. @returns `undefined`: nobody manages them */
  of(
    request: AuthRequest,
    shown: {
      readonly claims: SessionClaims
      readonly words: Words
      /** Their document, if there is one. */
      readonly person: Person | undefined
    },
  ): Promise<Managed | undefined>
  /**
   * A signed-in person is about to add something that signs them in. A throw refuses it.
   *
   * @throws {AccessDenied} somebody else manages how they sign in
   */
  checkAdding(request: AuthRequest, claims: SessionClaims): Promise<void>
  /**
   * A person is about to remove a way of theirs. A throw refuses it.
   *
   * @throws {AccessDenied} somebody else manages how they sign in
   */
  checkRemoving(request: AuthRequest, way: PersonWay): Promise<void>
}

/** Decisions of a manager about the account of a person. */
export interface Managed {
  /** What the page says of them. */
  readonly says: Markup
  /** Has the page forms to add ways? */
  readonly mayAdd: boolean
}

/** The place of a part of the account page. */
export interface SectionPlace {
  readonly words: Words
  readonly base: string
  readonly csrfToken: string
  /** The page after its forms. Default: the account page. */
  readonly back?: string | undefined
  /** The page of its own, if this is another one. */
  readonly href?: string | undefined
}

/** The hashes of passwords that another system has made, and that people bring along. */
export interface OldHashes {
  /** Are passwords typed with the addresses of a provider? @param provider its id */
  areTypedWith(request: AuthRequest, provider: string): boolean
  /**
   * Gives a person the hash of their old password, unless they have a password.
   *
   * @param person as the caller has just read them
   * @returns `known`: they have this one; `gone`: their address was removed, or they have become another person
   * @throws {StoreUnavailable}
   */
  keep(
    request: AuthRequest,
    sub: string,
    hash: string,
    person: ReadPerson,
  ): Promise<'added' | 'known' | 'bad-hash' | 'has-password' | 'gone'>
}
