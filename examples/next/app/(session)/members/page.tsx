import { requireSession } from '../../../auth'

/** The check stands beside the data: a proxy that a matcher leaves out protects nothing. */
export default async function Members() {
  const { user } = await requireSession({ callbackUrl: '/members' })
  return (
    <>
      <h1>Members</h1>
      <p>
        Hello {user?.name}. The word at the door is <strong>swordfish</strong>.
      </p>
    </>
  )
}
