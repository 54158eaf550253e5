"use client";

import { signOut, useSession } from "next-auth/react";

export function UserMenu() {
  const { data: session } = useSession({ required: true });
  return <button onClick={() => signOut({ callbackUrl: "/" })}>{session?.user.role}</button>;
}
