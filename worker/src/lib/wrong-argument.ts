/** A mistake of the caller of a method. The message names the member, and never repeats its value. */
export class WrongArgument extends TypeError {}
