import type { Role } from './claims.js'
import type { Database } from './database.js'
import type { Asker, Person } from './members.js'

/** Seconds. */
const DAY = 24 * 60 * 60
const LIFE = 3 * DAY
/** Mails in a day: from one sender, and to one address from all senders. */
const MAX_SENT = 20
const MAX_RECEIVED = 3

/** One mailbox, in the form in which the service stores it. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}$/

export interface Invitation {
  readonly id: string
  readonly email: string
  /** Seconds since the epoch. */
  readonly expires: number
}

/**
 * Open for the person with this address alone, once, for three days, and as long as its sender is an admin: not after the
 * organization is removed.
 */
const OPEN = `id = ?1 AND email = ?2 AND expires > ?3 AND used IS NULL
  AND EXISTS (SELECT 1 FROM member WHERE member.organisation = invitation.organisation
    AND person = sender AND member.role = 'admin')`

/** @returns `undefined`: the asker is not an admin, the address is not valid, or there are too many invitations */
export async function invite(
  db: Database,
  { organisation, person }: Asker,
  address: string,
  role: Role,
  now: number,
): Promise<Invitation | undefined> {
  const email = address.trim().toLowerCase()
  if (!ADDRESS.test(email)) return undefined
  const [id, expires] = [crypto.randomUUID(), now + LIFE]
  const [, made] = await db.change(
    ['DELETE FROM invitation WHERE expires < ?1', now - DAY],
    [
      `INSERT INTO invitation (id, organisation, email, role, sender, sent, expires)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
       WHERE EXISTS (SELECT 1 FROM member WHERE organisation = ?2 AND person = ?5 AND role = 'admin')
       AND (SELECT count(*) FROM invitation WHERE sender = ?5 AND sent > ?6 - ${DAY}) < ${MAX_SENT}
       AND (SELECT count(*) FROM invitation WHERE email = ?3 AND sent > ?6 - ${DAY}) < ${MAX_RECEIVED}`,
      ...[id, organisation, email, role, person, now, expires],
    ],
  )
  return made === 1 ? { id, email, expires } : undefined
}

/** The organization to which an invitation leads this person. */
export async function invitedTo(db: Database, id: string, { email }: Person, now: number) {
  const sql = `SELECT organisation AS id,
    (SELECT name FROM organisation WHERE organisation.id = invitation.organisation) AS name
    FROM invitation WHERE ${OPEN}`
  return (await db.rows<{ id: string; name: string }>(sql, id, email, now))[0]
}

/** Uses an invitation up. A member keeps the role that they have. @returns `false`: it is not open for this person */
export async function acceptInvitation(
  db: Database,
  id: string,
  { id: person, email }: Person,
  now: number,
): Promise<boolean> {
  const [, used] = await db.change(
    [
      `INSERT OR IGNORE INTO member (organisation, person, email, role)
       SELECT organisation, ?4, email, role FROM invitation WHERE ${OPEN}`,
      ...[id, email, now, person],
    ],
    [`UPDATE invitation SET used = ?3 WHERE ${OPEN}`, id, email, now],
  )
  return used === 1
}
