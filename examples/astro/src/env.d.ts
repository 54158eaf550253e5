declare namespace App {
  interface Locals {
    auth: import('@latchkey/web').RequestAuth
  }
}
