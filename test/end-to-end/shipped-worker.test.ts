// Several files, and one start of the Worker and of the browser.
import '../shipped-worker/account.ts'
import '../shipped-worker/email.ts'
import '../shipped-worker/night-on-duty.ts'
import '../shipped-worker/second-factor.ts'
