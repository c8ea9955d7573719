/** What is used of WebAssembly, a global of Node.js that its type package does not declare. */
declare namespace WebAssembly {
  /** Compiled code; several threads may share it. */
  interface Module {
    readonly [Symbol.toStringTag]: "WebAssembly.Module";
  }
  interface Memory {
    /** another one after it has grown */
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
