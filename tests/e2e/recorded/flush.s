// This file is empty. It lets flush.go declare functions without a body.
