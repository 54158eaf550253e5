import Link from 'next/link'
import { Account } from './account'

export function Header() {
  return (
    <header>
      <nav>
        <Link href="/">Home</Link> <Link href="/members">Members</Link>{' '}
        <Link href="/about">About</Link>
      </nav>
      <Account />
    </header>
  )
}
