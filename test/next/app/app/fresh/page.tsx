import { requireSession } from '../../auth'

export default async function Fresh() {
  const { user } = await requireSession({ maxAge: 300 })
  return <h1>Fresh, {user?.name}: swordfish</h1>
}
