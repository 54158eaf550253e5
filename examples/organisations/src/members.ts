import type { Role } from './claims.js'
import type { Database } from './database.js'

/** A signed-in user: their id, and an address that they have proved. */
export interface Person {
  readonly id: string
  readonly email: string
}

/** The person who asks, in the organization that is active in their session. */
export interface Asker {
  readonly organisation: string
  readonly person: string
}

interface Member {
  readonly person: string
  readonly email: string
  readonly role: Role
}

/** No dot and no slash: the name is in a mail, and a mail program would make a link of it. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '&-]{0,39}$/u
const MAX_FOUNDED = 5

/**
 * Each change below says in its own statement who may make it. So it asks the table at that moment, not a claim of some
 * seconds ago, and two admins who act at once cannot leave an organization without one.
 */
const BY_ADMIN = `EXISTS (SELECT 1 FROM member
  WHERE organisation = ?1 AND person = ?2 AND role = 'admin')`
const ANOTHER_ADMIN = `EXISTS (SELECT 1 FROM member
  WHERE organisation = ?1 AND person <> ?3 AND role = 'admin')`

/** @returns the id; `undefined`: the name is not allowed, or the person has founded too many */
export async function createOrganisation(
  db: Database,
  { id: person, email }: Person,
  name: string,
): Promise<string | undefined> {
  if (!NAME.test(name)) return undefined
  const id = crypto.randomUUID()
  const [made] = await db.change(
    [
      `INSERT INTO organisation (id, name, founder) SELECT ?1, ?2, ?3
       WHERE (SELECT count(*) FROM organisation WHERE founder = ?3) < ${MAX_FOUNDED}`,
      ...[id, name, person],
    ],
    [
      `INSERT INTO member (organisation, person, email, role)
       SELECT id, founder, ?2, 'admin' FROM organisation WHERE id = ?1`,
      ...[id, email],
    ],
  )
  return made === 1 ? id : undefined
}

export async function roleIn(
  db: Database,
  organisation: string,
  person: string,
): Promise<Role | undefined> {
  const sql = 'SELECT role FROM member WHERE organisation = ?1 AND person = ?2'
  return (await db.rows<{ role: Role }>(sql, organisation, person))[0]?.role
}

export function organisationsOf(db: Database, person: string) {
  const sql = `SELECT id, name, role FROM member JOIN organisation ON id = organisation
    WHERE person = ?1 ORDER BY name`
  return db.rows<{ id: string; name: string; role: Role }>(sql, person)
}

export function membersOf(db: Database, organisation: string): Promise<readonly Member[]> {
  const sql = 'SELECT person, email, role FROM member WHERE organisation = ?1 ORDER BY email'
  return db.rows<Member>(sql, organisation)
}

/** @returns `false`: the asker is not an admin, the person is not a member, or they are the last admin */
export async function setRole(
  db: Database,
  { organisation, person: asker }: Asker,
  person: string,
  role: Role,
): Promise<boolean> {
  const sql = `UPDATE member SET role = ?4 WHERE organisation = ?1 AND person = ?3
    AND ${BY_ADMIN} AND (?4 = 'admin' OR ${ANOTHER_ADMIN})`
  const [changed] = await db.change([sql, organisation, asker, person, role])
  return changed === 1
}

/** A member may go, an admin may remove others, and one admin stays. Open invitations of the address end too. */
export async function removeMember(
  db: Database,
  { organisation, person: asker }: Asker,
  person: string,
): Promise<boolean> {
  const mayGo = `(?2 = ?3 OR ${BY_ADMIN}) AND ${ANOTHER_ADMIN}`
  const whose = [organisation, asker, person] as const
  const [, removed] = await db.change(
    [
      `UPDATE invitation SET used = 0 WHERE organisation = ?1 AND used IS NULL AND ${mayGo}
       AND email = (SELECT email FROM member WHERE organisation = ?1 AND person = ?3)`,
      ...whose,
    ],
    [`DELETE FROM member WHERE organisation = ?1 AND person = ?3 AND ${mayGo}`, ...whose],
  )
  return removed === 1
}

/** @returns the people whose claims are to be refreshed; an empty list if the asker is not an admin */
export async function removeOrganisation(
  db: Database,
  { organisation, person: asker }: Asker,
): Promise<readonly string[]> {
  const members = await membersOf(db, organisation)
  const [removed] = await db.change(
    [`DELETE FROM organisation WHERE id = ?1 AND ${BY_ADMIN}`, organisation, asker],
    [
      `DELETE FROM member WHERE organisation = ?1
       AND NOT EXISTS (SELECT 1 FROM organisation WHERE id = ?1)`,
      organisation,
    ],
  )
  return removed === 1 ? members.map(({ person }) => person) : []
}

/** For the event `deletePerson`: what an app keeps of a person is the app's to delete. */
export async function forgetPerson(db: Database, person: string): Promise<void> {
  await db.change(
    [
      `DELETE FROM invitation WHERE sender = ?1
       OR email IN (SELECT email FROM member WHERE person = ?1)`,
      person,
    ],
    ['DELETE FROM member WHERE person = ?1', person],
    [
      `DELETE FROM organisation WHERE NOT EXISTS
       (SELECT 1 FROM member WHERE member.organisation = organisation.id)`,
    ],
    [`UPDATE organisation SET founder = '' WHERE founder = ?1`, person],
  )
}
