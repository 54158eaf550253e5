"use client";

import { useRouter } from "next/navigation";
import { signIn } from "next-auth/react";

export default function Login() {
  const router = useRouter();
  async function submit(form: FormData) {
    const result = await signIn("credentials", {
      email: String(form.get("email")),
      password: String(form.get("password")),
      redirect: false,
    });
    if (result?.ok) router.push("/members");
  }
  return (
    <form action={submit}>
      <input name="email" />
      <input name="password" type="password" />
      <button type="submit">Sign in</button>
      <button type="button" onClick={() => signIn("github", { callbackUrl: "/members" })}>
        Sign in with GitHub
      </button>
    </form>
  );
}
