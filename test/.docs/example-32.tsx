import { SignedIn, SignedOut, SignIn, UserButton } from '@latchkey/client/react'

export function Header() {
  return (
    <header>
      <SignedIn>
        <UserButton redirectTo="/">
          <a href="/settings">Settings</a>
        </UserButton>
      </SignedIn>
      <SignedOut>
        <SignIn redirectTo="/inbox" />
      </SignedOut>
    </header>
  )
}
