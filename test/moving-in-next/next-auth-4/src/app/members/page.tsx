import { redirect } from "next/navigation";
import { getServerSession } from "next-auth/next";
import { authOptions } from "@/lib/auth";
import { UserMenu } from "./user-menu";

export default async function Members() {
  const session = await getServerSession(authOptions);
  if (!session) redirect("/login");
  return (
    <>
      <p>Hello {session.user.name}</p>
      <UserMenu />
    </>
  );
}
